import { isBase64, isDataUrl, rewriteBase64, rewriteDataUrl } from './data-url.ts'

/** Fields whose values are one of a few keywords. */
const keywordFields = new Set('type role detail format media_type mime_type mimeType status effort'.split(' '))
/** Fields whose values are references. Changing one would break the request. */
const referenceFields = new Set(
  'id name url image_url file_url video_url filename signature encrypted_content'.split(' '),
)
/** Fields that usually contain bytes, but text in a plain-text document. */
const byteFields = new Set('data file_data b64_json'.split(' '))

/**
 * The types of parts, items and tools of the protocols, in which a field has its documented meaning. In other objects
 * `id` or `url` can mean anything.
 */
const knownType =
  /^(?:text|(?:input|output)_\w+|summary_text|reasoning_text|refusal|image(?:_url|_generation)?|video(?:_url)?|audio|file(?:_search)?|document|url|base64|content|thinking|redacted_thinking|reasoning(?:\.\w+)?|message|function|custom|mcp\w*|\w+_(?:call|call_output|use|result|preview|approval_request|approval_response)|tool_reference|container(?:_upload)?|compaction|search_result\w*|item_reference|computer\w*|web_search\w*|web_fetch\w*|code_execution\w*|bash_\w+|text_editor_\w+|memory_\w+|code_interpreter|local_shell|shell|apply_patch|auto|ephemeral|enabled|disabled|json_schema|json_object|json|any|tool|none|object|string|number|integer|boolean|array|null|openrouter:\w+)$/

/** Matches identifiers in the form that all protocols use, which contain no personal data. */
const identifierPattern = /^[$A-Za-z_./+-]{1,31}\d?$/
const urlPattern = /^[a-z][a-z0-9+.-]{1,15}:\/\/\S*$/i

export function isIdentifier(name: string): boolean {
  return identifierPattern.test(name)
}

type Fields = Readonly<Record<string, unknown>>

/**
 * Handles a value that is not prose according to its field: a reference, a keyword or bytes. Rewrites only bytes in base64 that
 * decode to text. Undefined for any other value.
 */
export function rewriteReference(
  fields: Fields,
  key: string,
  value: string,
  rewrite: (text: string) => string,
): string | undefined {
  if (keywordFields.has(key)) return identifierPattern.test(value) ? value : undefined
  if (byteFields.has(key)) return rewriteBytes(fields, value, rewrite)
  if (!referenceFields.has(key) && !key.endsWith('_id')) return undefined
  if (isDataUrl(value)) return rewriteDataUrl(value, rewrite)
  return isProtocolObject(fields) ? value : undefined
}

function rewriteBytes(fields: Fields, value: string, rewrite: (text: string) => string): string | undefined {
  if (isDataUrl(value)) return rewriteDataUrl(value, rewrite)
  if (urlPattern.test(value)) return isProtocolObject(fields) ? value : undefined
  // A plain-text document has its text where others have bytes, and a single word can look like base64.
  if (fields.type === 'text' || !isBase64(value)) return undefined
  const mediaType = fields.media_type ?? fields.mime_type ?? fields.mimeType
  return rewriteBase64(value, typeof mediaType === 'string' ? mediaType : 'application/octet-stream', rewrite)
}

/** Whether the fields have their documented meaning. An object without a type counts as one, such as `image_url: { url }`. */
const isProtocolObject = ({ type }: Fields) => typeof type !== 'string' || knownType.test(type)
