import { until } from '../../until.ts'
import type { TestService } from '../service.ts'

/**
 * The record with an id. It is written within a second if the machine is not busy.
 * @throws Error without an id: the request was refused before it had one.
 */
export async function untilMetered(service: Pick<TestService, 'ask'>, id: string | null): Promise<any> {
  if (!id) throw new Error('the request has no id: see what it was answered')
  return until(async () => (await service.ask('GET', `/generation?id=${id}`)).body?.data)
}
