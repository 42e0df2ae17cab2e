import type { ResponseStream } from '#platform/net/response-stream.ts'

/** The header that names the fields of a request that its upstream does not get. */
const droppedFieldsHeader = 'x-fields-left-out'

/** @param fields what this upstream lacks, in addition to those that the policy holds back. */
export function nameDroppedFields(
  { response, heldBack = [] }: { response: Pick<ResponseStream, 'header' | 'opened'>; heldBack?: readonly string[] },
  fields: readonly string[],
): void {
  if (response.opened || (fields.length === 0 && heldBack.length === 0)) return
  response.header(droppedFieldsHeader, headerList([...new Set([...heldBack, ...fields])]))
}

/** Names come from anybody: no more of them than a header should hold. */
function headerList(names: readonly string[]): string {
  return names
    .slice(0, 20)
    .map((name) => encodeURIComponent(name.slice(0, 64).toWellFormed()))
    .join(', ')
}
