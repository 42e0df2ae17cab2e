import type { Page } from '#interns/contract/transcript.ts'

const defaultPageSize = 100

/** Reads which part of a list a request asks for. @param maxSize limits the memory of an answer. */
export function readPage(query: URLSearchParams, maxSize: number): Page {
  const size = Number(query.get('limit')) || defaultPageSize
  return { limit: Math.min(Math.max(size, 1), maxSize), after: query.get('after') ?? undefined }
}
