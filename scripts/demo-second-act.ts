import { randomBytes } from 'node:crypto'
import { type BudgetEstimate, type Community, type Home, orThrow, type Part, type Plan } from '../client/index.ts'
import { chapter, money, type Stage, say, showBudget, table } from './demo-stage.ts'

/**
 * The second act: from the drawing of a plan to the locked budget of a home. The budget is computed from what the plan
 * takes and from a vendor's prices; what has no price is told of instead of costing nothing.
 */
export async function estimateHome(stage: Stage, vendorId: string): Promise<void> {
  chapter('The builder draws a plan, and says what it takes')
  const parts = await addParts(stage)
  const plan = await releasePlan(stage, parts)

  chapter('A vendor has prices for two of the three parts')
  await addPrice(stage, parts.stud, { vendorId, unitPrice: 3.42 })
  await addPrice(stage, parts.labor, { vendorId, unitPrice: 5.125 })
  const community = await openCommunity(stage)
  await addPrice(stage, parts.labor, { vendorId, unitPrice: 4.95, communityId: community.id })

  chapter('A home is planned, and its budget computed')
  const home = await planHome(stage, { community, plan })
  showEstimate(await estimate(stage, home))

  chapter('The missing price comes in, and the budget is whole')
  await addPrice(stage, parts.shingles, { vendorId, unitPrice: 285 })
  showEstimate(await estimate(stage, home))

  chapter('The budget is locked, and says what each trade may cost')
  const at = { params: { path: { homeId: home.id } } }
  showBudget(await orThrow(stage.plumbline.POST('/api/ext/homes/{homeId}/budget/lock', at)))
}

type Parts = Readonly<Record<'stud' | 'labor' | 'shingles', Part>>

// Whoever ends the demo by force leaves its parts and its plan behind, and their names are taken then.
const run = randomBytes(2).toString('hex').toUpperCase()

async function addParts({ plumbline, traces }: Stage): Promise<Parts> {
  const add = async (sku: string, name: string, unit: string, scope: string) => {
    const part = await orThrow(plumbline.POST('/api/ext/parts', { body: { sku: `${sku}-${run}`, name, unit, scope } }))
    const path = { partId: part.id }
    traces.push(() => orThrow(plumbline.DELETE('/api/ext/parts/{partId}', { params: { path } })))
    return part
  }
  return {
    stud: await add('STUD', 'Stud 2x4, 92 5/8 in', 'EA', 'framing'),
    labor: await add('LABOR', 'Framing labor', 'SF', 'framing'),
    shingles: await add('SHINGLES', 'Architectural shingles, laid', 'SQ', 'roofing'),
  }
}

async function releasePlan({ plumbline, traces }: Stage, parts: Parts): Promise<Plan> {
  const { id, code } = await orThrow(
    plumbline.POST('/api/ext/plans', {
      body: {
        code: `P1800-${run}`,
        name: 'The Sagebrush',
        squareFeet: 1800,
        figures: [
          { name: 'garageSquareFeet', value: 420 },
          { name: 'roofSquares', value: 31 },
        ],
        elevations: [{ code: 'A' }, { code: 'B', price: 6500, figures: [{ name: 'roofSquares', value: 33 }] }],
      },
    }),
  )
  const path = { planId: id }
  traces.push(() => orThrow(plumbline.DELETE('/api/ext/plans/{planId}', { params: { path } })))
  const { lines } = await orThrow(
    plumbline.PUT('/api/ext/plans/{planId}/takeoff', {
      params: { path },
      body: {
        lines: [
          { lineId: 'studs', partId: parts.stud.id, formula: 'squareFeet * 0.24', wastePercent: 7.5 },
          { lineId: 'labor', partId: parts.labor.id, formula: 'squareFeet + garageSquareFeet / 2' },
          { lineId: 'roof', partId: parts.shingles.id, formula: 'roofSquares', wastePercent: 10 },
          // A gable that the other elevation lacks.
          { lineId: 'gable', elevation: 'B', partId: parts.stud.id, quantity: 36 },
        ],
      },
    }),
  )
  say(`${code} takes ${lines.length} lines; three of them are reckoned from its figures.`)
  return orThrow(plumbline.POST('/api/ext/plans/{planId}/status', { params: { path }, body: { status: 'released' } }))
}

async function addPrice(
  { plumbline, traces }: Stage,
  part: Part,
  given: { vendorId: string; unitPrice: number; communityId?: string },
): Promise<void> {
  // Long in force, in whatever time zone.
  const body = { ...given, effectiveDate: '2020-01-01' }
  const at = { params: { path: { partId: part.id } } }
  const { id } = await orThrow(plumbline.POST('/api/ext/parts/{partId}/prices', { ...at, body }))
  traces.push(() => orThrow(plumbline.DELETE('/api/ext/prices/{priceId}', { params: { path: { priceId: id } } })))
  say(
    `${part.name}: ${given.unitPrice} per ${part.unit}${given.communityId === undefined ? '' : ', in this community alone'}`,
  )
}

async function openCommunity({ plumbline, traces }: Stage): Promise<Community> {
  const body = { name: 'Pecan Hollow', status: 'active', timeZone: 'America/Chicago', lotCount: 12 } as const
  const community = await orThrow(plumbline.POST('/api/ext/communities', { body }))
  const path = { communityId: community.id }
  traces.push(() => orThrow(plumbline.DELETE('/api/ext/communities/{communityId}', { params: { path } })))
  return community
}

async function planHome({ plumbline, traces }: Stage, { community, plan }: { community: Community; plan: Plan }) {
  const home = await orThrow(
    plumbline.POST('/api/ext/homes', {
      body: {
        ...{ name: 'Lot 4', communityId: community.id, lotNumber: '4' },
        ...({ planId: plan.id, elevation: 'B', swing: 'left' } as const),
      },
    }),
  )
  const path = { homeId: home.id }
  traces.push(() => orThrow(plumbline.DELETE('/api/ext/homes/{homeId}', { params: { path } })))
  return home
}

function estimate({ plumbline }: Stage, home: Home): Promise<BudgetEstimate> {
  const path = { homeId: home.id }
  return orThrow(plumbline.POST('/api/ext/homes/{homeId}/budget/estimate', { params: { path }, body: {} }))
}

function showEstimate({ total, priced, unpriced, on }: BudgetEstimate): void {
  say(`${priced} lines come to ${money(total)} at the prices of ${on}.`)
  table(unpriced.map(({ name, quantity, unit, issue }) => [name, `${quantity} ${unit}`, `not priced: ${issue}`]))
}
