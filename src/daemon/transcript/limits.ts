import { dayMs } from '#platform/core/clock.ts'
import { cutMiddle } from '#platform/text/truncate.ts'

/** The limits of stored transcripts, in bytes and milliseconds. */
export type TranscriptLimits = {
  /** The limit of all sessions together. The sessions that were idle longest lose their entries first. */
  maxTranscriptBytes: number
  /** The limit of one session. Its oldest entries are deleted first. */
  maxSessionTranscriptBytes: number
  /** The time after which an idle session is deleted. */
  transcriptMs: number
}

export const defaultTranscriptLimits: TranscriptLimits = {
  maxTranscriptBytes: 64 * 1024 * 1024,
  maxSessionTranscriptBytes: 16 * 1024 * 1024,
  transcriptMs: 30 * dayMs,
}

/**
 * The longest parts of an entry, in UTF-16 units, and the most items of its lists. They keep an entry below the longest line
 * that the protocol between server and daemon (`src/interns/contract`) accepts.
 */
export const maxLengths = {
  text: 32_000,
  title: 2_000,
  input: 24_000,
  output: 32_000,
  diffs: 24_000,
  message: 4_000,
  name: 512,
  paths: 50,
  changes: 100,
  steps: 100,
  step: 500,
  fields: 100,
  detail: 2_000,
}

/** The length of the end of a shortened text. Most of the text is its beginning. */
export const computeEndLength = (maxLength: number) => Math.floor(maxLength / 4)

/**
 * Shortens a text to about `maxLength` units: its beginning, a note about the omitted characters, and its end.
 * @param missing the number of characters that the text lost before, which the note includes.
 */
export const shorten = (text: string, maxLength: number, missing = 0) =>
  cutMiddle(text, maxLength, computeEndLength(maxLength), (omitted) => `${missing + omitted} characters are omitted`)
