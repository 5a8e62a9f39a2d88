"""Jobs: benches, trainings and endgame tables that the Lab starts, one at a time."""
