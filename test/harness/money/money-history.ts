import type { Budget } from '#spend/budgets/budget.ts'
import type { Budgets, Reservation } from '#spend/budgets/budgets.ts'
import type { Link } from '../database/cuttable-db.ts'

/** A request that the provider is serving, or has served. */
export type Flight = {
  server: Server
  budgets: Budget[]
  reservation: Reservation
  /** The reserved amount. */
  need: bigint
  /** The amount that the provider bills. */
  cost: bigint
  /** The charge, once the request is over. */
  charged: bigint | undefined
  isOver: boolean
  /** Whether the ledger has the charge. */
  isWritten: boolean
  /** Whether the ledger can have it: the cost of an attempt without an answer is recorded when the request is over. */
  isRecorded: boolean
  /** Called when the request is over: its earlier attempts are recorded in the ledger with it. */
  record: (() => void) | undefined
  at: number
}

export type Server = {
  name: string
  budgets: Budgets
  link: Link
  /** How far the server's clock is ahead. */
  skewMs: number
  /** Whether the server accepts requests. */
  alive: boolean
  killed: boolean
  /** The number of requests that wait for money to continue. */
  fallingBack: number
  /** The limits that this server knows. */
  limits: Budget[]
  timers: Set<{ ms: number; next: number; work: () => void }>
  faults: { slow: boolean; breaking: boolean; losing: boolean }
  /** The requests that wait for money, and the amount that they need. */
  needs: Map<Budget[], bigint>
}

/** The state of a simulated history, and the steps that led to it. */
export type MoneyHistory = {
  readonly now: number
  readonly servers: Server[]
  readonly flights: Flight[]
  /** The limits as the database has them. */
  readonly limits: Budget[]
  /** The steps so far; the error of a failed history shows them. */
  readonly steps: string[]
}
