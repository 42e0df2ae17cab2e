import { cutMiddle } from '#platform/text/whole-characters.ts'

/** The bounds of what a daemon keeps of conversations. Bytes and milliseconds. */
export type TranscriptLimits = {
  /** The most of all sessions; the sessions that were quiet longest lose their entries first. */
  maxTranscriptBytes: number
  /** The most of one session; the oldest entries go first. */
  maxSessionTranscriptBytes: number
  /** The time after which a quiet session is forgotten. */
  transcriptMs: number
}

export const defaultTranscriptLimits: TranscriptLimits = {
  maxTranscriptBytes: 64 * 1024 * 1024,
  maxSessionTranscriptBytes: 16 * 1024 * 1024,
  transcriptMs: 30 * 24 * 60 * 60_000,
}

/** The longest parts of an entry, in UTF-16 units: with them no entry is over the longest line of the contract. */
export const longest = {
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
}

/** A text of at most about `most` units: its beginning and its end, and between them a mark that says what is missing. */
export const keptOf = (text: string, most: number) =>
  cutMiddle(text, most, Math.floor(most / 4), (left) => `${left} characters are not kept`)
