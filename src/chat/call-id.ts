/** What a tool call is called whose server names it not: the same for whoever reads the answer. */
export function madeCallId(answerId: string | undefined, index: number): string {
  return `call_${answerId || 'unnamed'}_${index}`
}
