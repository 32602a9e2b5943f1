import { sql } from 'kysely'
import type { Vendor } from '../../../../client/contract.gen.ts'
import { type Call, recordChange, type WriteCall } from '../../../platform/calls/call.ts'
import { createVault } from '../../../platform/encryption/vault.ts'
import type { RowChange } from '../../../platform/resources/resource.ts'
import { getTaxIdEncryptionContext } from './tax-id-encryption-context.ts'

/**
 * Returns the last four letters or digits of a tax ID, which users may see. The complete tax ID is often a person's
 * social security number. The tax ID is stored encrypted, and only tax documents contain it.
 */
export function getLastFourCharacters(taxId: string | null | undefined): string | null | undefined {
  return taxId?.replace(/[^A-Za-z0-9]/g, '').slice(-4) ?? taxId
}

/**
 * Stores the tax ID of a vendor whose row already contains its last four characters. Returns the vendor. If the last
 * four characters are the same, the row does not change, so this function increments the version and records the
 * change.
 */
export async function storeTaxId(
  call: WriteCall,
  { before, after }: RowChange<Vendor | null> & { after: Vendor },
  taxId: string | null,
): Promise<Vendor> {
  if (taxId === (await findTaxId(call, after.id))) return after
  const { organizationId } = call
  const sealed =
    taxId === null ? null : createTaxIdVault(call).seal(taxId, getTaxIdEncryptionContext(organizationId, after.id))
  const isNoticed = after.version !== before?.version
  const version = isNoticed ? after.version : after.version + 1
  const updatedAt = call.now.toISOString()
  await sql`
    update "vendors" set "sealedTaxId" = ${sealed}, "version" = ${version}, "updatedAt" = ${updatedAt}
    where "organizationId" = ${organizationId} and "id" = ${after.id}`.execute(call.db)
  if (!isNoticed) recordChange(call, after.id, 'updated', ['taxId'])
  return { ...after, version, updatedAt }
}

/** Stores the tax IDs of several vendors whose rows already contain the last four characters. */
export async function storeTaxIds(call: WriteCall, stored: ReadonlyMap<string, string | null>): Promise<void> {
  if (stored.size === 0) return
  const { organizationId } = call
  const sealed = [...stored].map(([id, taxId]) =>
    taxId === null ? null : createTaxIdVault(call).seal(taxId, getTaxIdEncryptionContext(organizationId, id)),
  )
  await sql`
    update "vendors" as v set "sealedTaxId" = k."sealed"
    from unnest(${[...stored.keys()]}::text[], ${sealed}::text[]) as k ("id", "sealed")
    where v."organizationId" = ${organizationId} and v."id" = k."id"`.execute(call.db)
}

/** Returns the tax IDs of the vendors by vendor ID. Vendors without a tax ID are omitted. */
export async function findTaxIds(call: WriteCall, vendorIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (vendorIds.length === 0) return new Map()
  const { rows } = await sql<{ vendorId: string; sealed: string }>`
    select "id" as "vendorId", "sealedTaxId" as "sealed" from "vendors"
    where "organizationId" = ${call.organizationId} and "id" = any(${[...vendorIds]}::text[])
      and "sealedTaxId" is not null`.execute(call.db)
  return new Map(rows.map((row) => [row.vendorId, unsealTaxId(call, row)]))
}

async function findTaxId(call: WriteCall, vendorId: string): Promise<string | null> {
  const { rows } = await sql<{ sealed: string | null }>`
    select "sealedTaxId" as "sealed" from "vendors"
    where "organizationId" = ${call.organizationId} and "id" = ${vendorId}`.execute(call.db)
  const sealed = rows[0]?.sealed ?? null
  return sealed === null ? null : unsealTaxId(call, { vendorId, sealed })
}

export function unsealTaxId(call: Call, { vendorId, sealed }: { vendorId: string; sealed: string }): string {
  return createTaxIdVault(call).open(sealed, getTaxIdEncryptionContext(call.organizationId, vendorId))
}

const createTaxIdVault = ({ services }: Call) => createVault(services.config.encryptionKey)
