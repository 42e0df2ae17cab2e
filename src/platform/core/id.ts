import { randomUUIDv7 } from 'node:crypto'

/** Makes a fresh UUID. Passed in, so that tests can name what they create. */
export type NewId = () => string

/** Of version 7, which begins with the time: rows that are written together lie together, in either database. */
export const newUuid: NewId = randomUUIDv7
