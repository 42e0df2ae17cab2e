import { randomUUIDv7 } from 'node:crypto'

/** Creates a UUID. Passed as an argument, so that tests can choose ids. */
export type NewId = () => string

/** Creates a UUID of version 7, which starts with the time, so that rows inserted together are adjacent in the index. */
export const newUuid: NewId = randomUUIDv7
