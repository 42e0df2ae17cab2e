import pg from 'pg'
import { readOnlyCode } from '../maintenance/failures.ts'
import type { ClockSample } from './clock-offset.ts'
import type { Hosts } from './hosts.ts'

const int8 = 20
const numeric = 1700

/** Parses 64-bit integers and sums as numbers; by default, pg returns text. Statements cast amounts of money to text. */
export const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format: never) =>
    oid === int8 || oid === numeric ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}

/** The error of queries on a connection that was closed because it did not answer. */
export class ConnectionAbandoned extends Error {
  readonly code: string = 'ETIMEDOUT'
}

/** The error for a server that is a standby, or that rejects writes although the URL requires a writable one. */
export class NotPrimary extends Error {
  readonly code = readOnlyCode
}

/** Whether Postgres itself reported the error, and not the network. */
export const isServerError = (error: unknown) => error instanceof pg.DatabaseError

type ConnectionConfig = Omit<pg.ClientConfig, 'connectionString'> & { hosts: Hosts }

/** A connection that records since when a query is unanswered. The time-out of pg would return a busy connection to the pool. */
export class Connection extends pg.Client {
  /** Its server, one of `hosts`. */
  readonly url: string
  /** The process id on the server. */
  declare readonly processID: number | null
  /** The time at which the unanswered query was sent, on a monotonic clock. */
  pendingSince: number | undefined
  #onResponse: () => void = () => {}
  #onWriteRefused: () => void = () => {}
  readonly #hosts: Hosts

  constructor({ hosts, ...config }: ConnectionConfig) {
    super({ ...config, connectionString: hosts.current })
    this.url = hosts.current
    this.#hosts = hosts
  }

  /** Whether this is a connection by a Unix socket: the host is then its folder. */
  get isSocket(): boolean {
    return this.host.startsWith('/')
  }

  // biome-ignore lint/suspicious/noExplicitAny: the pool passes a callback, this code awaits a promise
  override connect(callback?: any): any {
    const reject = () => this.#hosts.reject(this.url)
    if (callback) {
      return super.connect((error: Error) => {
        if (error) reject()
        callback(error, this)
      })
    }
    return super.connect().catch((error: Error) => {
      reject()
      throw error
    })
  }

  /**
   * Checks that the server is the primary.
   * @returns whether it rejects writes now, as during maintenance, and how far its clock is ahead of this server's.
   * @throws NotPrimary, and selects the next host.
   */
  async requirePrimary(): Promise<{ readOnly: boolean; clock: ClockSample }> {
    const askedAt = Date.now()
    const { rows } = await this.query(
      `select pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as "readOnly",
              extract(epoch from clock_timestamp()) * 1000 as "at"`,
    )
    const respondedAt = Date.now()
    const { standby = false, readOnly = false, at = askedAt } = rows[0] ?? {}
    if (!standby && !(readOnly && this.#hosts.requiresWritable)) {
      const clock = { offsetMs: at - (askedAt + respondedAt) / 2, roundTripMs: respondedAt - askedAt }
      return { readOnly, clock }
    }
    this.#hosts.reject(this.url)
    const problem = standby ? 'is a standby, which can only be read' : 'accepts no writes'
    throw new NotPrimary(`The database server ${this.host}:${this.port} ${problem}.`)
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg has many overloads; only the one that returns a promise is used.
  override query(...args: any[]): any {
    const response = super.query(...(args as [string]))
    if (!(response instanceof Promise)) return response
    this.pendingSince ??= performance.now()
    const onSuccess = () => {
      this.pendingSince = undefined
      this.#onResponse()
    }
    const onFailure = (error: unknown) => {
      this.pendingSince = undefined
      if (isServerError(error)) this.#onResponse()
      if (Object(error).code === readOnlyCode) this.#onWriteRefused()
    }
    response.then(onSuccess, onFailure)
    return response
  }

  /** @param listener is called at each response of Postgres, also at errors. */
  setResponseListener(listener: () => void): void {
    this.#onResponse = listener
  }

  /** @param listener is called when Postgres refuses a write because it is read-only. */
  setWriteRefusedListener(listener: () => void): void {
    this.#onWriteRefused = listener
  }

  /** Closes the socket without a message to the server, so that a query in flight fails now. pg has no method for it. */
  abandon(reason: string): void {
    const { connection } = this as unknown as { connection: { stream: { destroy: (error: Error) => void } } }
    connection.stream.destroy(new ConnectionAbandoned(reason))
  }
}
