import type { ImportKind, ImportKindInfo } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { Problem } from '../../../platform/problems/problem.ts'
import { budgetLineKind, costCodeKind, optionKind, partKind, priceKind, takeoffKind } from './cost-kinds.ts'
import {
  drawingKind,
  homeOwnerKind,
  inspectionKind,
  permitKind,
  punchItemKind,
  warrantyRequestKind,
} from './field-kinds.ts'
import type { ImportKindDefinition } from './import-kind.ts'
import { communityKind, homeKind, planKind } from './land-kinds.ts'
import { leadKind } from './lead-kind.ts'
import { paymentKind, purchaseOrderKind } from './paying-kinds.ts'
import { taskKind, taskTemplateKind } from './schedule-kinds.ts'
import { vendorKind } from './vendor-kind.ts'

/** The kinds of records that can be imported. A new kind needs a definition here and a value in ImportKind. */
export const IMPORT_KINDS: Readonly<Record<ImportKind, ImportKindDefinition>> = {
  vendor: vendorKind,
  community: communityKind,
  plan: planKind,
  home: homeKind,
  cost_code: costCodeKind,
  part: partKind,
  price: priceKind,
  takeoff: takeoffKind,
  option: optionKind,
  task_template: taskTemplateKind,
  task: taskKind,
  lead: leadKind,
  budget_line: budgetLineKind,
  purchase_order: purchaseOrderKind,
  payment: paymentKind,
  permit: permitKind,
  inspection: inspectionKind,
  punch_item: punchItemKind,
  warranty_request: warrantyRequestKind,
  drawing: drawingKind,
  home_owner: homeOwnerKind,
}

/** Returns the kinds that the caller may import. */
export function listPermittedKinds({ permissions }: Call): ImportKindDefinition[] {
  return Object.values(IMPORT_KINDS).filter(({ permission }) => permissions.has(permission))
}

/** Throws `permission_denied` unless the caller may import this kind. */
export function assertCanImport({ permissions }: Call, kind: ImportKind): void {
  const { label, permission } = IMPORT_KINDS[kind]
  if (!permissions.has(permission))
    throw new Problem('permission_denied', `Importing ${label.toLowerCase()} requires ${permission}.`, { permission })
}

export function toKindInfo({ kind, label, permission, fields, identifiedBy }: ImportKindDefinition): ImportKindInfo {
  return {
    ...{ kind, label, permission, identifiedBy: identifiedBy.map((names) => [...names]) },
    fields: Object.entries(fields).map(([field, { label, type, isRequired = false }]) => ({
      ...{ field, label, type, required: isRequired },
    })),
  }
}
