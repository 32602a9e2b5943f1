import type { Contract, ContractType } from '../../../client/contract.gen.ts'

export const CONTRACT_TYPES = ['unit_price', 'material', 'labor_only', 'turnkey'] as const

export const CONTRACT_TYPE_WORDS: Readonly<Record<ContractType, string>> = {
  unit_price: 'Labor and material',
  material: 'Material only',
  labor_only: 'Labor only',
  turnkey: 'Turnkey, one price for a home',
}

/** `CT-0001, revision 2` */
export function nameContract({ number, revision }: Pick<Contract, 'number' | 'revision'>): string {
  return revision === 1 ? number : `${number}, revision ${revision}`
}
