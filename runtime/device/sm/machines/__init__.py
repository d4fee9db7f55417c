"""All SMs together: with timing, without, in several threads; and what they call by address for the extension."""
