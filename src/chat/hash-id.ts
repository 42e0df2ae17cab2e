import { createHash } from 'node:crypto'

/** Replaces an id that a provider refuses, such as one that is too long. Equal ids get equal hashes of 64 characters. */
export const hashId = (id: string): string => createHash('sha256').update(id).digest('hex')
