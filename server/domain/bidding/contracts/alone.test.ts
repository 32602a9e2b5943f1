import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { SeededRandom } from '../../../../scripts/conformance/random.ts'
import { startTestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { addDays } from '../../../platform/values/calendar.ts'

const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000)
const STEPS = 100
// The maximum number of steps for a seed that activates few contracts.
const MAX_STEPS = 1000

test(`random contract changes never give a vendor overlapping prices or lump sums (seed ${seed})`, async () => {
  const plumbline = await startTestPlumbline()
  const random = new SeededRandom(seed)
  const post = (path: string, body: object) => plumbline.post(`/api/ext${path}`, body)
  const created = async (path: string, body: object) => (await post(path, body)).body.id as string
  try {
    const vendors = [await created('/vendors', { companyName: 'A' }), await created('/vendors', { companyName: 'B' })]
    const parts = [
      await created('/parts', { sku: 'A', name: 'A', unit: 'EA' }),
      await created('/parts', { sku: 'B', name: 'B', unit: 'EA' }),
    ]
    const communities = [await created('/communities', { name: 'A' }), await created('/communities', { name: 'B' })]
    const planId = await created('/plans', { code: 'A', name: 'A', elevations: [{ code: 'A' }, { code: 'B' }] })
    const optionId = await created('/options', { code: 'A', name: 'A', optionType: 'upgrade', price: 1 })
    const houses = [{ planId }, { planId, elevation: 'A' }, { planId, elevation: 'B' }, { optionId }]
    const contracts: string[] = []
    let activations = 0
    let [withLumpSums, step] = [0, 0]
    for (; step < STEPS || (Math.min(activations, withLumpSums) < 4 && step < MAX_STEPS); step++) {
      const effectiveDate = addDays('2100-01-01', random.between(0, 60))
      const expirationDate = random.chance(0.5) ? null : addDays(effectiveDate, random.between(0, 40))
      const dates = { effectiveDate, expirationDate }
      const vendorId = random.pick(vendors)
      const endPrevious = random.chance(0.5)
      const terms = {
        ...{ vendorId, scope: random.pick(['framing', 'trim']) },
        lumpSums: random.chance(0.5)
          ? []
          : houses.filter(() => random.chance(0.5)).map((house) => ({ ...house, amount: step })),
        communityIds: communities.filter(() => random.chance(0.5)),
        lines: parts.filter(() => random.chance(0.7)).map((partId) => ({ partId, unitPrice: step })),
      }
      const path = `/contracts/${contracts.length === 0 ? 'none' : random.pick(contracts)}`
      const answer = await random.pick([
        () => post('/contracts', { ...terms, ...dates }),
        () => post(`${path}/status`, { status: 'active', endPrevious }),
        () => post(`${path}/status`, { status: 'active', endPrevious: true }),
        () => post(`${path}/revise`, dates),
        () => post(`${path}/status`, { status: 'terminated' }),
        () => post(`/parts/${random.pick(parts)}/prices`, { vendorId, unitPrice: step, endPrevious, ...dates }),
      ])()
      expect(answer.status).toBeLessThan(500)
      if (answer.status === 201 && answer.body.number !== undefined) contracts.push(answer.body.id)
      if (answer.body.status === 'active') activations++
      if (answer.body.status === 'active' && answer.body.lumpSums.length > 0) withLumpSums++
    }
    const { rows } = await sql`
      select a."id", b."id" as "other" from "prices" a join "prices" b
        on a."organizationId" = b."organizationId" and a."id" < b."id" and a."partId" = b."partId"
        and a."vendorId" = b."vendorId" and a."communityId" is not distinct from b."communityId"
        and a."planId" is not distinct from b."planId" and a."minQuantity" = b."minQuantity"
        and a."effectiveDate" <= coalesce(b."expirationDate", 'infinity')
        and b."effectiveDate" <= coalesce(a."expirationDate", 'infinity')
      where a."archivedAt" is null and b."archivedAt" is null`.execute(plumbline.database.statements)
    expect(rows).toEqual([])
    const { rows: lumpSums } = await sql`
      with "all" as (
        select l.*, c."vendorId", lower(c."scope") as "scope", row_number() over () as "n" from "lumpSums" as l
        join "contracts" as c on c."organizationId" = ${plumbline.organizationId} and c."id" = l."contractId"
        where l."organizationId" = ${plumbline.organizationId})
      select a."contractId", b."contractId" as "other" from "all" a join "all" b on a."n" < b."n"
        and a."vendorId" = b."vendorId" and a."scope" = b."scope"
        and a."communityId" is not distinct from b."communityId" and a."planId" is not distinct from b."planId"
        and a."elevation" is not distinct from b."elevation" and a."optionId" is not distinct from b."optionId"
        and a."effectiveDate" <= coalesce(b."expirationDate", 'infinity')
        and b."effectiveDate" <= coalesce(a."expirationDate", 'infinity')`.execute(plumbline.database.statements)
    expect(lumpSums).toEqual([])
    // The test is only meaningful with enough activations.
    expect(
      [activations, withLumpSums].every((count) => count > 3),
      `${activations}, ${withLumpSums}`,
    ).toBe(true)
  } finally {
    await plumbline.stop()
  }
})
