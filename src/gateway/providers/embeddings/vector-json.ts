export type VectorFormat = 'float' | 'base64'

/**
 * The JSON of a vector in the requested format. A vector that has it already keeps its text.
 * @param item the JSON of the object that contains the vector.
 * @throws Error if the vector is neither a list of numbers nor base64 of 32-bit floats.
 */
export function encodeVector(item: Buffer, vector: unknown, format: VectorFormat): Buffer {
  if (typeof vector === 'string') {
    if (format === 'base64') return Buffer.from(JSON.stringify(vector))
    return Buffer.from(JSON.stringify(decodeFloats(vector)))
  }
  if (!Array.isArray(vector) || vector.length === 0 || !vector.every((number) => typeof number === 'number'))
    throw new Error('an embedding is neither a list of numbers nor base64')
  if (format === 'base64') return Buffer.from(`"${Buffer.from(Float32Array.from(vector).buffer).toString('base64')}"`)
  return findOnlyList(item) ?? Buffer.from(JSON.stringify(vector))
}

/** The only list in the JSON of an item; undefined if there are several brackets. */
function findOnlyList(item: Buffer): Buffer | undefined {
  const start = item.indexOf('[')
  const end = item.indexOf(']')
  return item.indexOf('[', start + 1) === -1 && item.indexOf(']', end + 1) === -1
    ? item.subarray(start, end + 1)
    : undefined
}

const bytesPerFloat = 4

/** The numbers of a vector in base64, as decimals of up to nine digits. Nine suffice to restore a 32-bit float. */
function decodeFloats(base64: string): number[] {
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length === 0 || bytes.length % bytesPerFloat !== 0)
    throw new Error('an embedding is not base64 of 32-bit floats')
  return Array.from({ length: bytes.length / bytesPerFloat }, (_, at) =>
    Number(bytes.readFloatLE(at * bytesPerFloat).toPrecision(9)),
  )
}
