import type { Service } from './start.ts'

/** What a person sees when the service is up; the secrets only this once. */
export function welcome({ url, firstKeys }: Pick<Service, 'url' | 'firstKeys'>): string {
  const reachable = url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
  if (!firstKeys) return `\n  Signalbox   ${url}\n\n`
  return `
  Signalbox   ${url}

  This is the first start. Two keys were made; they are shown this once, so keep them now:

    management key   ${firstKeys.managementKey}
    API key          ${firstKeys.apiKey}

  Two things to try:

    curl "${reachable}/models?sort=newest&limit=3" -H "Authorization: Bearer ${firstKeys.apiKey}"

    curl ${reachable}/presets/haiku/responses -H "Authorization: Bearer ${firstKeys.managementKey}" -H "Content-Type: application/json" -d '{"model":"signalbox/demo","instructions":"Answer with a haiku."}'

`
}
