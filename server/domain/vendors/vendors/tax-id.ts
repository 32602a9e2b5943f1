import { sql } from 'kysely'
import type { Vendor } from '../../../../client/contract.gen.ts'
import { type Call, recordChange, type WriteCall } from '../../../platform/calls/call.ts'
import { createVault } from '../../../platform/encryption/vault.ts'
import type { RowChange } from '../../../platform/resources/resource.ts'
import { taxIdSealContext } from './tax-id-seal-context.ts'

/**
 * Returns the last four letters or digits of a tax ID, which identify it to people. A tax ID is often a person's social
 * security number, so it is stored encrypted, and leaves the service only on documents that are filed with it.
 */
export function lastFourOf(taxId: string | null | undefined): string | null | undefined {
  return taxId?.replace(/[^A-Za-z0-9]/g, '').slice(-4) ?? taxId
}

/**
 * Stores the tax ID of a vendor whose row already has its last characters, and returns the vendor. A different tax ID
 * with the same ending is a change too, although the row does not show it.
 */
export async function storeTaxId(
  call: WriteCall,
  { before, after }: RowChange<Vendor | null> & { after: Vendor },
  taxId: string | null,
): Promise<Vendor> {
  if (taxId === (await findTaxId(call, after.id))) return after
  const { organizationId } = call
  const sealed = taxId === null ? null : createTaxIdVault(call).seal(taxId, taxIdSealContext(organizationId, after.id))
  const isNoticed = after.version !== before?.version
  const version = isNoticed ? after.version : after.version + 1
  const updatedAt = call.now.toISOString()
  await sql`
    update "vendors" set "sealedTaxId" = ${sealed}, "version" = ${version}, "updatedAt" = ${updatedAt}
    where "organizationId" = ${organizationId} and "id" = ${after.id}`.execute(call.db)
  if (!isNoticed) recordChange(call, after.id, 'updated', ['taxId'])
  return { ...after, version, updatedAt }
}

/** Stores the tax IDs of several vendors whose rows already have the last characters. */
export async function storeTaxIds(call: WriteCall, stored: ReadonlyMap<string, string | null>): Promise<void> {
  if (stored.size === 0) return
  const { organizationId } = call
  const sealed = [...stored].map(([id, taxId]) =>
    taxId === null ? null : createTaxIdVault(call).seal(taxId, taxIdSealContext(organizationId, id)),
  )
  await sql`
    update "vendors" as v set "sealedTaxId" = k."sealed"
    from unnest(${[...stored.keys()]}::text[], ${sealed}::text[]) as k ("id", "sealed")
    where v."organizationId" = ${organizationId} and v."id" = k."id"`.execute(call.db)
}

/** Returns the known tax IDs of these vendors. */
export async function findTaxIds(call: WriteCall, vendorIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (vendorIds.length === 0) return new Map()
  const { rows } = await sql<{ vendorId: string; sealed: string }>`
    select "id" as "vendorId", "sealedTaxId" as "sealed" from "vendors"
    where "organizationId" = ${call.organizationId} and "id" = any(${[...vendorIds]}::text[])
      and "sealedTaxId" is not null`.execute(call.db)
  return new Map(rows.map((row) => [row.vendorId, openTaxId(call, row)]))
}

async function findTaxId(call: WriteCall, vendorId: string): Promise<string | null> {
  const { rows } = await sql<{ sealed: string | null }>`
    select "sealedTaxId" as "sealed" from "vendors"
    where "organizationId" = ${call.organizationId} and "id" = ${vendorId}`.execute(call.db)
  const sealed = rows[0]?.sealed ?? null
  return sealed === null ? null : openTaxId(call, { vendorId, sealed })
}

export function openTaxId(call: Call, { vendorId, sealed }: { vendorId: string; sealed: string }): string {
  return createTaxIdVault(call).open(sealed, taxIdSealContext(call.organizationId, vendorId))
}

const createTaxIdVault = ({ services }: Call) => createVault(services.config.encryptionKey)
