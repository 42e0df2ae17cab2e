import { Fault } from '#platform/core/fault.ts'
import { isDeeper } from '#platform/json/depth.ts'

/**
 * A call's arguments as an object. Models have been seen to call without any, or with half of them.
 * @throws Fault `invalid` for what could not be written out again.
 */
export function argumentsOf(json: string | undefined): object {
  const value = parsedText(json || '{}')
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}

/** The value of a text that is JSON. @throws Fault `invalid` for what could not be written out again. */
export function parsedText(json: string): unknown {
  // A failing parse costs microseconds, and most results of tools are plain text.
  if (!startsLikeJson.test(json)) return undefined
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    return undefined
  }
  if (isDeeper(value, deepest))
    throw new Fault('invalid', `JSON within a text is nested more than ${deepest} levels deep. Send a flatter one.`)
  return value
}

const startsLikeJson = /^\s*[[{"\-\dtfn]/

/** Deeper than any function wants it. */
const deepest = 500

/** The name of the function that a choice of tool insists on. */
export function chosenFunction(choice: unknown): string | undefined {
  if (typeof choice !== 'object') return undefined
  return (choice as { function?: { name?: string } } | null)?.function?.name
}

type Called = { function?: { name?: string; arguments?: string }; custom?: { name?: string; input?: string } }

/** A call for protocols that have functions only. The text of a custom call becomes its argument `input`. */
export function calledFunction(call: Called): { name: string | undefined; args: object } {
  const { function: called, custom } = call
  const args = !called && custom ? { input: custom.input ?? '' } : argumentsOf(called?.arguments)
  return { name: calledName(call), args }
}

export function calledName({ function: called, custom }: Called): string | undefined {
  return called ? called.name : custom?.name
}
