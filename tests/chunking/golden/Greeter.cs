using System;

namespace Greetings
{
    /// <summary>Greets people.</summary>
    [Serializable]
    public class Greeter
    {
        private const string Path = @"C:\temp\";

        public string Greet(string name)
        {
            if (string.IsNullOrEmpty(name))
            {
                return "hello, whoever you are";
            }
            return $"hello, {name}";
        }

        // Says goodbye.
        public string Leave(string name) => $"goodbye, {name}, and come again";
    }

    public enum Mood { Good, Bad }
}
