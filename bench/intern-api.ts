import { setTimeout as sleep } from 'node:timers/promises'
import type { Intern } from './intern-load.ts'
import { apiKey } from './servers.ts'

/** Sends a request to the API. @returns the body of the answer. @throws Error if it is refused. */
export async function requestJson(
  baseUrl: string,
  method: string,
  path: string,
  body?: object,
  key = apiKey,
): Promise<any> {
  const response = await fetch(baseUrl + path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const responseBody = await response.json()
  if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(responseBody)}`)
  return responseBody
}

/** Creates an intern, and waits until it runs. */
export async function createIntern(baseUrl: string, name: string, agent?: object): Promise<Intern> {
  const { id } = await requestJson(baseUrl, 'POST', '/interns', { name, provision: true, ...(agent && { agent }) })
  while ((await requestJson(baseUrl, 'GET', `/interns/${id}`)).status !== 'running') await sleep(20)
  return { url: new URL(baseUrl), key: apiKey, id }
}
