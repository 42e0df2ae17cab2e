import type { Route } from '../route.ts'
import { assignKeys } from './assignments/assign-keys.ts'
import { assignMembers } from './assignments/assign-members.ts'
import { listKeyAssignmentsRoute } from './assignments/list-all-key-assignments.ts'
import { listMemberAssignmentsRoute } from './assignments/list-all-member-assignments.ts'
import { listGuardrailKeyAssignments } from './assignments/list-guardrail-key-assignments.ts'
import { listGuardrailMemberAssignments } from './assignments/list-guardrail-member-assignments.ts'
import { unassignKeys } from './assignments/unassign-keys.ts'
import { unassignMembers } from './assignments/unassign-members.ts'
import { createGuardrailRoute } from './create.ts'
import { deleteGuardrailRoute } from './delete.ts'
import { getGuardrailRoute } from './get.ts'
import { listGuardrailsRoute } from './list.ts'
import { listGuardrailsForModel } from './list-for-model.ts'
import { replayGuardrail } from './replay.ts'
import { getGuardrailThresholds, setGuardrailThresholds } from './thresholds.ts'
import { tryGuardrail } from './try.ts'
import { updateGuardrail } from './update.ts'

export const guardrailRoutes = {
  listGuardrails: listGuardrailsRoute,
  createGuardrail: createGuardrailRoute,
  getGuardrail: getGuardrailRoute,
  updateGuardrail,
  deleteGuardrail: deleteGuardrailRoute,
  replayGuardrail,
  getGuardrailThresholds,
  setGuardrailThresholds,
  tryGuardrail,
  listGuardrailsForModel,
  listKeyAssignments: listKeyAssignmentsRoute,
  listMemberAssignments: listMemberAssignmentsRoute,
  listGuardrailKeyAssignments,
  assignKeys,
  unassignKeys,
  listGuardrailMemberAssignments,
  assignMembers,
  unassignMembers,
} satisfies Record<string, Route>
