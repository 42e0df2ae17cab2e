/** The names of a server's connections in `pg_stat_activity`. */
export const applicationNames = {
  statements: 'signalbox server',
  signals: 'signalbox server signals',
  monitor: 'signalbox watch',
  migration: 'signalbox migration',
} as const

/** The names that servers of schema version 91 and before use for statements and signals, by which newer servers recognise them. */
export const olderApplicationNames = ['signalbox', 'signalbox signals'] as const
