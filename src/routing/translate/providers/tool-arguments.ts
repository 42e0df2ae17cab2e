/** A call's arguments as an object. Models have been seen to call without any, or with half of them. */
export function argumentsOf(json: string | undefined): object {
  try {
    const value: unknown = JSON.parse(json || '{}')
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
  } catch {
    return {}
  }
}

/** The name of the function that a choice of tool insists on. */
export function chosenFunction(choice: unknown): string | undefined {
  if (typeof choice !== 'object') return undefined
  return (choice as { function?: { name?: string } } | null)?.function?.name
}

type Called = { function?: { name?: string; arguments?: string }; custom?: { name?: string; input?: string } }

/** A call as those take it who know functions only: what a custom one is given is its `input`. */
export function calledFunction(call: Called): { name: string | undefined; args: object } {
  const { function: called, custom } = call
  if (!called && custom) return { name: custom.name, args: { input: custom.input ?? '' } }
  return { name: called?.name, args: argumentsOf(called?.arguments) }
}
