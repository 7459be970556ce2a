<?php
namespace App;

use App\Models\User;

// Shows a user.
function show(User $user): string
{
    # an old-style comment with an apostrophe: don't
    $text = <<<HTML
    <p>function not_a_function() {
    HTML;
    return $text . htmlspecialchars($user->name);
}

#[Route('/')]
final class Controller
{
    public function index(): string
    {
        return show(new User('Ada'));
    }

    public function missing(): string
    {
        return 'there is nothing here {';
    }
}
