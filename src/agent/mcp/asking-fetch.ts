import { boundedFetch } from './bounded-fetch.ts'

/** `fetch` for one server, which knows afterwards that the server wanted to know who asks, and what to do about it. */
export function askingFetch(headers: [name: string, value: string][], fetch: typeof globalThis.fetch) {
  const isSet = headers.some(([name]) => name.toLowerCase() === 'authorization')
  let refused: string | undefined
  return {
    fetch: async (url: string | URL, init?: RequestInit): Promise<Response> => {
      const answer = await boundedFetch(fetch, url, init)
      if (answer.status === 401) refused = isSet ? otherToken : noToken
      return answer
    },
    whyRefused: () => refused,
  }
}

const noToken =
  'it wants to know who asks (401): whoever made the intern sets the credential among the headers of this server ' +
  '(mcp_servers), mostly "authorization" with "Bearer …". The agent does not sign in by OAuth itself'
const otherToken =
  'it does not take the header "authorization" that it is given (401): the token is wrong or has expired, and whoever made ' +
  'the intern sets another (mcp_servers)'
