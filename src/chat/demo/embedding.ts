import { maxInputs } from '../embeddings-request.ts'

/** The length of the demo model's vectors, if the request names none. */
export const defaultDimensions = 256
export const maxDimensions = 3072

/** The most characters that are read of a text, so that a request with the most inputs takes little time. */
const maxCharacters = Math.floor((4 * 1024 * 1024) / maxInputs)

/** A part of a word counts less than the word. */
const wordWeight = 1
const partWeight = 0.5
const partLength = 3

/**
 * The demo model's vector of a text, of length 1. Each word and each three letters of it add to one component, so that texts
 * with the same words are near each other.
 */
export function createDemoEmbedding(text: string, dimensions: number): Float32Array {
  const sums = new Float32Array(dimensions)
  for (const word of text
    .slice(0, maxCharacters)
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)) {
    if (word === '') continue
    addFeature(sums, word, wordWeight)
    for (let at = 0; at + partLength <= word.length; at++) addFeature(sums, word.slice(at, at + partLength), partWeight)
  }
  let squares = 0
  for (const sum of sums) squares += sum * sum
  // A text without words has a direction, too.
  if (squares === 0) sums[0] = 1
  else for (let at = 0; at < dimensions; at++) sums[at]! /= Math.sqrt(squares)
  return sums
}

const fnvOffset = 0x811c9dc5
const fnvPrime = 0x01000193
/** A factor of MurmurHash3 for the same purpose. */
const mixingFactor = 0x85ebca6b

/**
 * Feature hashing: an FNV-1a hash selects the component. Its lowest bit is the sign, so that different features that share one
 * cancel each other on average.
 */
function addFeature(sums: Float32Array, feature: string, weight: number): void {
  let hash = fnvOffset
  for (let at = 0; at < feature.length; at++) hash = Math.imul(hash ^ feature.charCodeAt(at), fnvPrime)
  // Mixes the bits, because the lowest bits of FNV-1a depend on few bits of the text.
  hash = Math.imul(hash ^ (hash >>> 15), mixingFactor)
  const bits = (hash ^ (hash >>> 13)) >>> 0
  sums[(bits >>> 1) % sums.length]! += bits & 1 ? weight : -weight
}
