/**
 * The exact statements that start and end a transaction. A session of another process recognises them by their text.
 */
export const transactionStatements = { begin: 'begin immediate', commit: 'commit', rollback: 'rollback' } as const
