import { CompiledQuery } from 'kysely'
import type { Drawing, PortalDrawing } from '../../../client/contract.gen.ts'
import { createDownload } from '../../domain/attachments/download-file.ts'
import * as attachments from '../../domain/attachments/queries.ts'
import * as drawings from '../../domain/land/drawings/queries.ts'
import type { Call } from '../../platform/calls/call.ts'
import type { FileResponse } from '../../platform/calls/file-response.ts'
import type { Json } from '../../platform/calls/json.ts'
import { notFound } from '../../platform/problems/problem.ts'
import { createListing, type Page } from '../../platform/resources/listing.ts'
import * as portal from './queries.ts'

/** Vendors see the current drawings for their issued, unfinished orders. */

/**
 * Returns the SQL condition that the vendor `vendor` has an unfinished order for the home and trade of the drawing `t`.
 */
const orderSql = (vendor: string) => `exists (
  select from "purchaseOrders" as o
  join "homes" as h on h."organizationId" = o."organizationId" and h."id" = o."homeId"
  where o."organizationId" = t."organizationId" and o."vendorId" = ${vendor}
    and o."status" in ('issued', 'accepted', 'partially_completed')
    and (t."scopes" = '{}' or lower(o."scope") in (select lower(s) from unnest(t."scopes") as s))
    and ${drawings.toHomeDrawingConditionSql('h."id"', 'h."planId"')})`

const currentSql = (field: string) => ({ sql: `to_json(t."revisions"->0->'${field}')` })

const listVisible = createListing<PortalDrawing>({
  table: 'drawings',
  columns: {
    ...{ id: 'id', sheetNumber: 'text', title: 'text', discipline: 'enum' },
    ...{ revision: currentSql('revision'), label: currentSql('label'), issuedDate: currentSql('issuedDate') },
    note: currentSql('note'),
  },
  where: `t."archivedAt" is null and t."currentRevision" is not null`,
  filters: { vendor: orderSql },
})

interface PageQuery {
  limit: number
  cursor?: string | undefined
}

export function listVendorDrawings(call: Call, query: PageQuery): Promise<Json<Page<PortalDrawing>>> {
  const { vendorId } = portal.getVendorFilter(call.principal)
  return listVisible(call, { ...query, ...{ sort: '-createdAt', vendor: vendorId } })
}

export async function openDrawing(call: Call, drawingId: string): Promise<FileResponse> {
  const drawing = await drawings.findOptional(call, drawingId)
  const [current] = drawing?.revisions ?? []
  if (drawing === undefined || drawing.archivedAt !== null || current === undefined) throw notFound()
  if (!(await isVisible(call, drawing))) throw notFound()
  return createDownload(call, await attachments.find(call, current.attachmentId))
}

async function isVisible(call: Call, { id }: Drawing): Promise<boolean> {
  const { vendorId = '' } = portal.getVendorFilter(call.principal)
  const statement = `select 1 from "drawings" as t where t."organizationId" = $1 and t."id" = $2 and ${orderSql('$3')}`
  const { rows } = await call.db.executeQuery(CompiledQuery.raw(statement, [call.organizationId, id, vendorId]))
  return rows.length > 0
}
