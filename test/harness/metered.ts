import type { TestService } from './service.ts'
import { until } from './until.ts'

/** The record with an id. It is written within a second if the machine is not busy. */
export async function metered(service: Pick<TestService, 'ask'>, id: string | null): Promise<any> {
  return until(async () => (await service.ask('GET', `/generation?id=${id}`)).body?.data)
}
