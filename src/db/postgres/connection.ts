import pg from 'pg'

const int8 = 20
const numeric = 1700

/** Counts and instants fit a double; pg would hand them out as text. */
export const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format: never) =>
    oid === int8 || oid === numeric ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}

/** A connection that did not answer is ended by us; queries on it fail with this. */
export class ConnectionAbandoned extends Error {
  readonly code = 'ETIMEDOUT'
}

/** Whether Postgres itself refused, and not the way to it. */
export const isAnswer = (error: unknown) => error instanceof pg.DatabaseError

/** A connection that knows since when an answer is due. pg's own time-out would put it back to the others, in use. */
export class Connection extends pg.Client {
  /** The server's process for it. */
  declare readonly processID: number | null
  /** When the question was sent that is not answered yet, by the monotonic clock. */
  unansweredSince: number | undefined
  #answered: () => void = () => {}

  // biome-ignore lint/suspicious/noExplicitAny: as many forms as pg has; only that of a promise is used here.
  override query(...asked: any[]): any {
    const answer = super.query(...(asked as [string]))
    if (!(answer instanceof Promise)) return answer
    this.unansweredSince ??= performance.now()
    const answered = () => {
      this.unansweredSince = undefined
      this.#answered()
    }
    const failed = (error: unknown) => {
      this.unansweredSince = undefined
      if (isAnswer(error)) this.#answered()
    }
    answer.then(answered, failed)
    return answer
  }

  /** @param act is called at each answer of Postgres, a refusal included. */
  whenAnswered(act: () => void): void {
    this.#answered = act
  }

  abandon(why: string): void {
    const { connection } = this as unknown as { connection: { stream: { destroy: (error: Error) => void } } }
    connection.stream.destroy(new ConnectionAbandoned(why))
  }
}
