import { boundedFetch } from './bounded-fetch.ts'

/** Returns a `fetch` for one server. After a 401 answer, `refusalReason` explains what to do about it. */
export function createAuthorizationFetch(headers: [name: string, value: string][], fetch: typeof globalThis.fetch) {
  const isSet = headers.some(([name]) => name.toLowerCase() === 'authorization')
  let refusal: string | undefined
  return {
    fetch: async (url: string | URL, init?: RequestInit): Promise<Response> => {
      const answer = await boundedFetch(fetch, url, init)
      if (answer.status === 401) refusal = isSet ? refusedToken : missingToken
      return answer
    },
    refusalReason: () => refusal,
  }
}

const missingToken =
  'it requires authentication (401): set its credential in the headers of this server in the configuration of the intern ' +
  '(mcp_servers), usually "authorization" with "Bearer …". The agent does not support OAuth'
const refusedToken =
  'it refused the header "authorization" (401): the token is wrong or has expired; set another one in the configuration ' +
  'of the intern (mcp_servers)'
