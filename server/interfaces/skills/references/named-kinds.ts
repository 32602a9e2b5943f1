/**
 * A kind of record to which users refer by number or name, with the fields that contain its ID and the SQL for its
 * names.
 */
export interface NamedKind {
  /** The everyday name of this kind of record. */
  noun: string
  /** The input fields that contain an ID of this kind. Fields with the plural names contain several IDs. */
  fields: readonly string[]
  permission: string
  from: string
  /**
   * SQL expressions over the row as `t`, each with its own index. A text that equals the value of an expression refers
   * to the row.
   */
  called: readonly string[]
  /** The name that distinguishes the row from other rows with the same name. This name is also accepted. */
  label: string
  /** Another property that distinguishes rows, if several rows may have the same label. */
  about?: string
  /** Allowed forms of the place to which the row belongs. The place is the last part of a label, after a comma. */
  within?: readonly string[]
  /** Whether the place is required, because hundreds of rows share a name and no index can find them. */
  needsPlace?: true
  /** The SQL condition for rows that can be referred to by name. Every row can be referred to by ID. */
  where: string
}

const NOT_ARCHIVED_SQL = `t."archivedAt" is null`
const HOME_JOIN = `join "homes" as h on h."organizationId" = t."organizationId" and h."id" = t."homeId"`
const VENDOR_JOIN = `join "vendors" as v on v."organizationId" = t."organizationId" and v."id" = t."vendorId"`

export const NAMED_KINDS: readonly NamedKind[] = [
  {
    ...{ noun: 'home', fields: ['homeId', 'fromHomeId', 'toHomeId'], permission: 'homes:read' },
    from: `"homes" as t join "communities" as c on c."organizationId" = t."organizationId" and c."id" = t."communityId"`,
    ...{
      called: ['t."name"'],
      label: `t."name" || ', ' || c."name"`,
      within: ['c."name"', 'c."code"'],
      where: NOT_ARCHIVED_SQL,
    },
  },
  {
    ...{ noun: 'community', fields: ['communityId'], permission: 'communities:read', from: `"communities" as t` },
    ...{
      called: ['t."name"', 't."code"'],
      label: 't."name"',
      about: `concat_ws(', ', t."code", t."status")`,
      where: NOT_ARCHIVED_SQL,
    },
  },
  {
    ...{
      noun: 'vendor',
      fields: ['vendorId', 'newVendorId', 'keepId', 'mergeId'],
      permission: 'vendors:read',
      from: `"vendors" as t`,
    },
    ...{ called: ['t."companyName"'], label: 't."companyName"', where: NOT_ARCHIVED_SQL },
    about: `concat_ws(', ', t."status", t."email", t."phone", t."accountingId")`,
  },
  {
    ...{ noun: 'bid request', fields: ['bidRequestId'], permission: 'bids:read', from: `"bidRequests" as t` },
    about: 't."status"',
    ...{ called: ['t."number"', 't."title"'], label: `concat_ws(' ', t."number", t."title")`, where: 'true' },
  },
  {
    ...{ noun: 'bid', needsPlace: true, fields: ['bidId'], permission: 'bids:read' },
    from: `"bids" as t ${VENDOR_JOIN} join "bidRequests" as r on r."organizationId" = t."organizationId" and r."id" = t."bidRequestId"`,
    ...{ called: ['v."companyName"'], within: ['r."number"', 'r."title"'] },
    ...{ label: `v."companyName" || ', ' || r."number"`, where: `t."status" <> 'withdrawn'` },
  },
  {
    ...{ noun: 'purchase order', fields: ['purchaseOrderId', 'poId', 'parentPoId', 'relatedPoId'] },
    ...{ permission: 'pos:read', from: `"purchaseOrders" as t ${HOME_JOIN}` },
    ...{ called: ['t."number"'], label: `t."number" || ', ' || h."name"`, within: ['h."name"'], where: 'true' },
  },
  {
    ...{ noun: 'contract', fields: ['contractId'], permission: 'contracts:read', from: `"contracts" as t` },
    ...{ called: ['t."number"'], label: `t."number" || ', revision ' || t."revision"` },
    where: `t."archivedAt" is null and t."status" = 'active'`,
  },
  {
    ...{ noun: 'payment', fields: ['paymentId'], permission: 'payments:read', from: `"payments" as t` },
    ...{ called: ['t."number"'], label: 't."number"', where: 'true' },
  },
  {
    ...{ noun: 'plan', fields: ['planId'], permission: 'options:read', from: `"plans" as t` },
    ...{ called: ['t."code"', 't."name"'], label: `t."code" || ' ' || t."name"`, where: NOT_ARCHIVED_SQL },
  },
  {
    ...{ noun: 'part', fields: ['partId'], permission: 'parts:read', from: `"parts" as t` },
    ...{ called: ['t."sku"', 't."name"'], label: `t."sku" || ' ' || t."name"`, where: NOT_ARCHIVED_SQL },
  },
  {
    ...{ noun: 'option', fields: ['optionId'], permission: 'options:read', from: `"options" as t` },
    ...{ called: ['t."code"', 't."name"'], label: `t."code" || ' ' || t."name"`, where: NOT_ARCHIVED_SQL },
  },
  {
    ...{ noun: 'cost code', fields: ['costCodeId'], permission: 'budgets:read', from: `"costCodes" as t` },
    ...{ called: ['t."code"'], label: `t."code" || ' ' || t."name"`, where: NOT_ARCHIVED_SQL },
  },
  {
    ...{ noun: 'user', fields: ['userId', 'superintendentId', 'assigneeUserId', 'ownerUserId', 'salesRepId'] },
    ...{ permission: 'users:read', from: `"users" as t`, called: ['t."name"', 't."email"'], label: 't."name"' },
    ...{ about: 't."email"', where: `t."status" = 'active'` },
  },
  {
    ...{ noun: 'sale', fields: ['saleId'], permission: 'sales:read', from: `"sales" as t` },
    ...{ called: ['t."number"'], label: 't."number"', where: 'true' },
  },
  {
    ...{
      noun: 'task',
      needsPlace: true,
      fields: ['taskId'],
      permission: 'tasks:read',
      from: `"tasks" as t ${HOME_JOIN}`,
    },
    ...{ called: ['t."name"'], label: `t."name" || ', ' || h."name"`, within: ['h."name"'], where: NOT_ARCHIVED_SQL },
  },
  {
    ...{
      noun: 'milestone',
      needsPlace: true,
      fields: ['milestoneId'],
      permission: 'milestones:read',
      from: `"milestones" as t ${HOME_JOIN}`,
    },
    ...{ called: ['t."name"'], label: `t."name" || ', ' || h."name"`, within: ['h."name"'], where: NOT_ARCHIVED_SQL },
  },
  {
    ...{ noun: 'warranty request', fields: ['warrantyRequestId', 'repeatOfId'], permission: 'warranty:read' },
    ...{ from: `"warrantyRequests" as t`, called: ['t."number"'], label: 't."number"', where: 'true' },
  },
  {
    ...{ noun: 'task template', fields: ['taskTemplateId', 'templateId'], permission: 'tasks:read' },
    ...{ from: `"taskTemplates" as t`, called: ['t."name"'], label: 't."name"', where: NOT_ARCHIVED_SQL },
  },
]
