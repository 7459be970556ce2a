package bank;

import java.util.List;

/**
 * Money, and who has it.
 */
public class Account {
    private static final String SQL = """
        select * from account where {
        """;

    private final String owner;
    private long cents;

    public Account(String owner) {
        this.owner = owner;
    }

    /** Puts money in. */
    @Override
    @Transactional(readOnly = false)
    public void deposit(long amount) {
        if (amount <= 0) {
            throw new IllegalArgumentException("amount must be positive: " + amount);
        } else {
            cents += amount;
        }
    }

    public boolean withdraw(long amount) {
        if (amount > cents) return false;
        cents -= amount;
        return true;
    }

    enum Kind { SAVINGS, CURRENT }
}
