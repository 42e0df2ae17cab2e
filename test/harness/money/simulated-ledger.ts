import { dayMs } from '#platform/core/clock.ts'
import type { MoneyHistory, Server } from './money-history.ts'

/** The ledger, in which the charges of finished requests arrive late or never. */
export class SimulatedLedger {
  readonly #history: Pick<MoneyHistory, 'flights'>

  constructor(history: Pick<MoneyHistory, 'flights'>) {
    this.#history = history
  }

  /** The ledger receives a charge some time after it was made; rows that wait at a killed server are lost. */
  async write(server: Server): Promise<void> {
    const charged = this.#history.flights.filter(
      (flight) => flight.server === server && flight.isOver && flight.isRecorded,
    )
    await server.link.delay()
    if (server.link.state === 'cut' || server.killed) throw new Error('the ledger is not reached')
    for (const flight of charged) flight.isWritten = true
    if (server.link.loses()) throw new Error('the answer was lost')
  }

  /** The spending since a day, according to the ledger. */
  spendingSince(id: string, sinceDay: number): bigint {
    const charges = this.#history.flights.filter(
      ({ budgets, isWritten, at }) => isWritten && at >= sinceDay * dayMs && budgets.some((budget) => budget.id === id),
    )
    return charges.reduce((sum, { charged }) => sum + (charged ?? 0n), 0n)
  }
}
