import type { Protocol } from '#platform/core/vocabulary.ts'

/** A request that did not arrive, or not as its provider's description has it. */
export type Complaint = { own: Protocol; client: Protocol; upstream: Protocol; refused: boolean; words: string }

type Row = { why: string; where: (complaint: Complaint) => boolean }

const named = (words: string, names: string[]) => names.some((name) => words.includes(`'"${name}"'`))

/** Which recorded requests do not reach a provider as it describes them, and why. What is in no row fails the test. */
export const rows: readonly Row[] = [
  {
    why: 'Nothing is stored here: what refers to an earlier response, or asks for one to be kept, is refused.',
    where: ({ refused, words }) => refused && words.includes('this service stores no responses'),
  },
  {
    why: 'A tool that the provider runs itself goes to those who have it; where nobody has, the request is refused.',
    where: ({ refused, words }) => refused && words.includes('it does not support a provider tool of the request'),
  },
  {
    why: 'A server tool of another gateway is refused by its name.',
    where: ({ refused, words }) => refused && words.includes('this service does not support the server tool'),
  },
  {
    why: 'Who speaks the protocol of the provider is passed on in his own words: these the provider took, described or not.',
    where: ({ own, client, upstream, refused }) => !refused && own === client && client === upstream,
  },
  {
    why: 'Of a chat to a chat provider nothing is translated: it names tools, and `top_k`, as this test put them.',
    where: ({ own, client, upstream, words }) =>
      own === 'google-gemini' &&
      client === 'openai-chat' &&
      upstream === client &&
      /top_k|codeExec|fileS|googleS|urlC/.test(words),
  },
  {
    why: 'The version of the API that is asked for takes them; the types are of a later one.',
    where: ({ upstream, words }) =>
      upstream === 'anthropic-messages' && named(words, ['temperature', 'top_p', 'top_k']),
  },
]
