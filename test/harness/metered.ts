import type { TestService } from './service.ts'
import { until } from './until.ts'

/** What was metered under an id, which is written within a second where the machine has time for it. */
export async function metered(service: Pick<TestService, 'ask'>, id: string | null): Promise<any> {
  return until(async () => (await service.ask('GET', `/generation?id=${id}`)).body?.data)
}
