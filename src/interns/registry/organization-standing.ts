import type { Now } from '#platform/core/clock.ts'
import type { Query } from '#platform/db/db.ts'
import { type InternStatus, internStatuses } from './intern.ts'
import { type Intern, internOf } from './store.ts'

/** How the interns of an organization are, on all hosts. */
export type InternsStanding = {
  counts: Record<InternStatus, number>
  /** Those that failed, or could not be removed; the latest first, and no more than some. */
  failed: Intern[]
  questions: { waiting: number; firstDeadlineAt: number | undefined }
}

const failures = ['failed', 'destroy_failed'] as const
const failuresTold = 50

type StandingDeps = { db: { query: Query }; now: Now }

export async function internsStanding(
  { db: { query }, now }: StandingDeps,
  organizationId: string,
): Promise<InternsStanding> {
  const own = query.selectFrom('interns').where('organization_id', '=', organizationId)
  const [counted, failed, asked] = await Promise.all([
    own
      .groupBy('status')
      .select((e) => ['status', e.fn.countAll().as('count')])
      .execute(),
    own.where('status', 'in', failures).orderBy('updated_at', 'desc').limit(failuresTold).selectAll().execute(),
    own
      .where('status', '=', 'running')
      .innerJoin('intern_questions as asked', 'asked.intern_id', 'interns.id')
      .where('asked.deadline_at', '>', now())
      .select((e) => [e.fn.countAll().as('waiting'), e.fn.min('asked.deadline_at').as('first')])
      .executeTakeFirst(),
  ])
  const none = internStatuses.map((status) => [status, 0])
  const counts = [...none, ...counted.map(({ status, count }) => [status, Number(count)])]
  return {
    counts: Object.fromEntries(counts) as Record<InternStatus, number>,
    failed: failed.map(internOf),
    questions: {
      waiting: Number(asked?.waiting ?? 0),
      firstDeadlineAt: asked?.first == null ? undefined : Number(asked.first),
    },
  }
}
