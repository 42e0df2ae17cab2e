import type { ResponseStream } from '#platform/net/response-stream.ts'
import { maxDroppedNames } from '../protocol/repairs/dropped-fields.ts'

/** The header that names the fields of a request that its upstream does not get. */
const droppedFieldsHeader = 'x-fields-left-out'

/** The most characters of a name in the header: clients can send any fields. */
const maxNameLength = 64

/** Adds the header with the names of dropped fields, unless the response is open already. */
export function setDroppedFieldsHeader(
  response: Pick<ResponseStream, 'header' | 'opened'>,
  fields: readonly string[],
): void {
  if (response.opened || fields.length === 0) return
  response.header(droppedFieldsHeader, headerList([...new Set(fields)]))
}

function headerList(names: readonly string[]): string {
  return names
    .slice(0, maxDroppedNames)
    .map((name) => encodeURIComponent(name.slice(0, maxNameLength).toWellFormed()))
    .join(', ')
}
