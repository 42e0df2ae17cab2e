/** A mutant: its source line without surrounding blanks, and the change. */
export type Equivalent = { file: string; line: string; from: string; to: string; why: string }

/** Mutants with the behaviour of the original code. They count neither as killed nor as alive. */
export const equivalents: Equivalent[] = [
  {
    file: 'src/platform/db/maintenance/backup.ts',
    line: 'fsyncSync(descriptor)',
    from: 'fsyncSync(descriptor)',
    to: '{}',
    why: 'It shows only where the machine loses its power.',
  },
  {
    file: 'src/gateway/request/model-suggestions.ts',
    line: '.sort((a, b) => a.distance - b.distance || (a.id < b.id ? -1 : 1))',
    from: '1',
    to: '2',
    why: 'Of what a comparison says only the sign counts.',
  },
  {
    file: 'src/spend/budgets/budgets.ts',
    line: "return outcome === 'period_ended' ? { periodEnded: true } : { refusedBy: open.budget, outcome }",
    from: 'true',
    to: 'false',
    why: 'Only whether the field is there is looked at; its type allows no other value.',
  },
  {
    file: 'src/spend/budgets/accounts/budget-account.ts',
    line: '#exchangeStartedAt = 0',
    from: '0',
    to: '1',
    why: 'It is set with every exchange, and read only during one.',
  },
  {
    file: 'src/spend/budgets/ledger-spending.ts',
    line: "const createdDay = subject.kind === 'key' ? 0 : dayOf(subject.createdAt)",
    from: '0',
    to: '1',
    why: 'Nobody spent anything on the first day of 1970.',
  },
  {
    file: 'src/spend/budgets/accounts/budget-account.ts',
    line: '#revocations = 0',
    from: '0',
    to: '1',
    why: 'Only whether it has changed meanwhile is looked at.',
  },
  {
    file: 'src/spend/budgets/accounts/open-accounts.ts',
    line: 'await this.#pendingReport',
    from: 'await this.#pendingReport',
    to: '{}',
    why: 'The questions of an account follow each other, and a running round is always ahead of the last reports.',
  },
  {
    file: 'src/identity/accounts/keys/keys.ts',
    line: 'before: null,',
    from: 'before: null',
    to: '...{}',
    why: 'What is not there is stored as null; its type does not allow it to be missing.',
  },
  {
    file: 'src/platform/db/postgres/exclusively.ts',
    line: 'return notifications.toSorted((a, b) => (a.topic < b.topic ? -1 : a.topic > b.topic ? 1 : 0))',
    from: '0',
    to: '1',
    why: 'Only topics are locked: the order of two notifications of one topic has no effect.',
  },
  {
    file: 'src/interns/remote/read-events.ts',
    line: "response.on('error', () => {})",
    from: "response.on('error', () => {})",
    to: '{}',
    why: 'Node keeps an error of an answer to itself where nobody listens for it, which it says it may change.',
  },
]
