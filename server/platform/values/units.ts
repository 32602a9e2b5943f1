import Big from 'big.js'

/** The quantity that a unit measures, and the exact size of the unit in base units. */
interface UnitSize {
  measure: 'area' | 'length' | 'volume' | 'weight' | 'board' | 'count'
  size: number
}

/** A square (SQ) is 100 square feet, and is the usual unit for roofing and siding. */
const UNIT_SIZES: Readonly<Record<string, UnitSize>> = {
  SF: { measure: 'area', size: 1 },
  SQFT: { measure: 'area', size: 1 },
  SY: { measure: 'area', size: 9 },
  SQYD: { measure: 'area', size: 9 },
  SQ: { measure: 'area', size: 100 },
  LF: { measure: 'length', size: 1 },
  FT: { measure: 'length', size: 1 },
  CF: { measure: 'volume', size: 1 },
  CUFT: { measure: 'volume', size: 1 },
  CY: { measure: 'volume', size: 27 },
  CUYD: { measure: 'volume', size: 27 },
  LB: { measure: 'weight', size: 1 },
  LBS: { measure: 'weight', size: 1 },
  TON: { measure: 'weight', size: 2000 },
  TONS: { measure: 'weight', size: 2000 },
  BF: { measure: 'board', size: 1 },
  MBF: { measure: 'board', size: 1000 },
  EA: { measure: 'count', size: 1 },
  EACH: { measure: 'count', size: 1 },
  PC: { measure: 'count', size: 1 },
  PCS: { measure: 'count', size: 1 },
  DZ: { measure: 'count', size: 12 },
}

/** Returns whether two units have the same name, regardless of letter case and spaces. */
export function isSameUnit(unit: string, other: string): boolean {
  return normalizeUnit(unit) === normalizeUnit(other)
}

/** Returns how many `to` units are in one `from` unit; null if the units measure different quantities. */
export function findUnitFactor(from: string, to: string): Big | null {
  if (isSameUnit(from, to)) return new Big(1)
  const [source, target] = [UNIT_SIZES[normalizeUnit(from)], UNIT_SIZES[normalizeUnit(to)]]
  if (source === undefined || target === undefined || source.measure !== target.measure) return null
  return new Big(source.size).div(target.size)
}

function normalizeUnit(unit: string): string {
  return unit.toUpperCase().replace(/[\s.]/gu, '')
}
