import { randomUUID } from 'node:crypto'

/** Makes a fresh UUID. Passed in, so that tests can name what they create. */
export type NewId = () => string

export const newUuid: NewId = randomUUID
