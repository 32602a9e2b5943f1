import { randomBytes } from 'node:crypto'
import { type CostCode, type Option, orThrow, type Part, type Plan } from '../client/index.ts'
import { printLine, type Stage } from './demo-stage.ts'

/**
 * The builder's catalog in the second act of the demo: cost codes, parts, a plan, and an option. The plan and the
 * option have takeoffs.
 */
export interface Catalog {
  readonly codes: Readonly<Record<'lumber' | 'labor' | 'roof', CostCode>>
  readonly parts: Readonly<Record<'stud' | 'labor' | 'shingles', Part>>
  readonly plan: Plan
  readonly patio: Option
}

// A random suffix for names. If a run of the demo is killed, its parts and its plan remain, and their names cannot be
// used again.
const runSuffix = randomBytes(2).toString('hex').toUpperCase()

export async function createCatalog(stage: Stage): Promise<Catalog> {
  const codes = {
    lumber: await addCode(stage, { code: '06-110', name: 'Framing lumber', category: 'material' }),
    labor: await addCode(stage, { code: '06-150', name: 'Framing labor', category: 'labor' }),
    roof: await addCode(stage, { code: '07-310', name: 'Shingles', category: 'subcontract' }),
  }
  const parts = {
    stud: await addPart(stage, codes.lumber, {
      sku: 'STUD',
      name: 'Stud 2x4, 92 5/8 in',
      unit: 'EA',
      scope: 'framing',
    }),
    labor: await addPart(stage, codes.labor, { sku: 'LABOR', name: 'Framing labor', unit: 'SF', scope: 'framing' }),
    shingles: await addPart(stage, codes.roof, {
      ...{ sku: 'SHINGLES', name: 'Architectural shingles, laid', unit: 'SQ', scope: 'roofing' },
    }),
  }
  return { codes, parts, plan: await releasePlan(stage, parts), patio: await offerPatio(stage, parts) }
}

type CostCodeInput = Pick<CostCode, 'code' | 'name' | 'category'>

async function addCode({ plumbline, traces }: Stage, provided: CostCodeInput): Promise<CostCode> {
  const body = { ...provided, code: `${provided.code}-${runSuffix}` }
  const code = await orThrow(plumbline.POST('/api/ext/cost-codes', { body }))
  const path = { costCodeId: code.id }
  traces.push(() => orThrow(plumbline.DELETE('/api/ext/cost-codes/{costCodeId}', { params: { path } })))
  return code
}

type PartInput = Pick<Part, 'sku' | 'name' | 'unit' | 'scope'>

async function addPart({ plumbline, traces }: Stage, { id }: CostCode, provided: PartInput): Promise<Part> {
  const body = { ...provided, sku: `${provided.sku}-${runSuffix}`, costCodeId: id }
  const part = await orThrow(plumbline.POST('/api/ext/parts', { body }))
  const path = { partId: part.id }
  traces.push(() => orThrow(plumbline.DELETE('/api/ext/parts/{partId}', { params: { path } })))
  return part
}

async function releasePlan({ plumbline, traces }: Stage, parts: Catalog['parts']): Promise<Plan> {
  const { id, code } = await orThrow(
    plumbline.POST('/api/ext/plans', {
      body: {
        code: `P1800-${runSuffix}`,
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
          // A gable, which the other elevation does not have.
          { lineId: 'gable', elevation: 'B', partId: parts.stud.id, quantity: 36 },
        ],
      },
    }),
  )
  printLine(`${code} takes ${lines.length} lines; three of them are reckoned from its figures.`)
  return orThrow(plumbline.POST('/api/ext/plans/{planId}/status', { params: { path }, body: { status: 'released' } }))
}

async function offerPatio({ plumbline, traces }: Stage, parts: Catalog['parts']): Promise<Option> {
  const { id } = await orThrow(
    plumbline.POST('/api/ext/options', {
      body: { code: `PATIO-${runSuffix}`, name: 'Covered patio', optionType: 'structural', price: 1950 },
    }),
  )
  const path = { optionId: id }
  traces.push(() => orThrow(plumbline.DELETE('/api/ext/options/{optionId}', { params: { path } })))
  await orThrow(
    plumbline.PUT('/api/ext/options/{optionId}/takeoff', {
      params: { path },
      body: {
        lines: [
          { partId: parts.stud.id, quantity: 24 },
          { partId: parts.labor.id, quantity: 140 },
        ],
      },
    }),
  )
  return orThrow(plumbline.POST('/api/ext/options/{optionId}/status', { params: { path }, body: { status: 'active' } }))
}
