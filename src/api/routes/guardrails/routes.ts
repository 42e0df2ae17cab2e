import type { Route } from '../route.ts'
import { assignKeys } from './assign-keys.ts'
import { assignMembers } from './assign-members.ts'
import { createOneGuardrail } from './create.ts'
import { deleteOneGuardrail } from './delete.ts'
import { getOneGuardrail } from './get.ts'
import { listAllGuardrails } from './list.ts'
import { listAllKeyAssignments } from './list-all-key-assignments.ts'
import { listAllMemberAssignments } from './list-all-member-assignments.ts'
import { listGuardrailsForModel } from './list-for-model.ts'
import { listGuardrailKeyAssignments } from './list-key-assignments.ts'
import { listGuardrailMemberAssignments } from './list-member-assignments.ts'
import { replayGuardrail } from './replay.ts'
import { getGuardrailThresholds, setGuardrailThresholds } from './thresholds.ts'
import { tryGuardrail } from './try.ts'
import { unassignKeys } from './unassign-keys.ts'
import { unassignMembers } from './unassign-members.ts'
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
