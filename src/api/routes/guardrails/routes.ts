import type { Route } from '../route.ts'
import { assignKeys } from './assignments/assign-keys.ts'
import { assignMembers } from './assignments/assign-members.ts'
import { listAllKeyAssignments } from './assignments/list-all-key-assignments.ts'
import { listAllMemberAssignments } from './assignments/list-all-member-assignments.ts'
import { listGuardrailKeyAssignments } from './assignments/list-guardrail-key-assignments.ts'
import { listGuardrailMemberAssignments } from './assignments/list-guardrail-member-assignments.ts'
import { unassignKeys } from './assignments/unassign-keys.ts'
import { unassignMembers } from './assignments/unassign-members.ts'
import { createOneGuardrail } from './create.ts'
import { deleteOneGuardrail } from './delete.ts'
import { getOneGuardrail } from './get.ts'
import { listAllGuardrails } from './list.ts'
import { listGuardrailsForModel } from './list-for-model.ts'
import { replayGuardrail } from './replay.ts'
import { getGuardrailThresholds, setGuardrailThresholds } from './thresholds.ts'
import { tryGuardrail } from './try.ts'
import { updateGuardrail } from './update.ts'

export const guardrailRoutes = {
  listGuardrails: listAllGuardrails,
  createGuardrail: createOneGuardrail,
  getGuardrail: getOneGuardrail,
  updateGuardrail,
  deleteGuardrail: deleteOneGuardrail,
  replayGuardrail,
  getGuardrailThresholds,
  setGuardrailThresholds,
  tryGuardrail,
  listGuardrailsForModel,
  listKeyAssignments: listAllKeyAssignments,
  listMemberAssignments: listAllMemberAssignments,
  listGuardrailKeyAssignments,
  assignKeys,
  unassignKeys,
  listGuardrailMemberAssignments,
  assignMembers,
  unassignMembers,
} satisfies Record<string, Route>
