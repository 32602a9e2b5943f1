/**
 * A kind of record to which users refer by number or name: the fields that contain its ID, and the SQL for its names.
 */
export interface NamedKind {
  /** The name of this kind of record in everyday language. */
  noun: string
  /**
   * The names of input fields that contain an ID of this kind. The plural of such a name is a field that contains
   * several IDs.
   */
  fields: readonly string[]
  permission: string
  from: string
  /**
   * SQL expressions for the names of a row, which is `t`. Each expression has its own index. A text refers to a row if
   * it equals the value of one of the expressions.
   */
  called: readonly string[]
  /**
   * The SQL for a longer name that distinguishes the row from other rows with the same name. Users can also refer to
   * the row by this name.
   */
  label: string
  /** The SQL for another property that distinguishes rows with the same label. */
  about?: string
  /**
   * The SQL for the place to which the row belongs, in all accepted forms. In a label, the place comes last, after a
   * comma.
   */
  within?: readonly string[]
  /**
   * Whether a reference must contain the place. Needed if hundreds of rows share a name and no index can find them by
   * name alone.
   */
  needsPlace?: true
  /** The SQL condition for rows to which users can refer by name. By ID, users can refer to any row. */
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
    ...{ noun: 'purchase order', fields: ['poId', 'parentPoId', 'relatedPoId'] },
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
