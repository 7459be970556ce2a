package shapes

sealed interface Shape {
    val area: Double
}

data class Circle(val radius: Double) : Shape {
    override val area get() = Math.PI * radius * radius
}

/* outer /* inner */ still a comment */
fun describe(shape: Shape): String = when (shape) {
    is Circle -> """
        a circle {
        of ${shape.radius}
    """.trimIndent()
    else -> "something"
}

fun main() {
    listOf(Circle(1.0), Circle(2.0))
        .map { describe(it) }
        .forEach(::println)
}
