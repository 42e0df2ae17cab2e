import { printableLine } from '#platform/text/printable.ts'
import { truncateText } from '#platform/text/truncate.ts'
import { type McpServerSpec, redactSecrets } from './server-spec.ts'

const maxLength = 300

/** The text of a server's error for the model: one line, shortened. Its credentials are removed first, so that none is cut. */
export const toErrorText = (spec: McpServerSpec, text: string): string =>
  truncateText(printableLine(redactSecrets(spec, text.trim())), maxLength)
