import type { FieldError, Option, OptionStatus } from '../../../../client/contract.gen.ts'

export const OPTION_MOVES: Readonly<Record<OptionStatus, readonly OptionStatus[]>> = {
  draft: ['active'],
  active: ['retired'],
  retired: ['active'],
}

type Amounts = Pick<Option, 'optionType' | 'price' | 'marginPercent' | 'costBasis' | 'cost'>

/** Everything that is wrong with the price and the cost of an option, whichever of them was sent. */
export function amountFaults({ optionType, price, marginPercent, costBasis, cost }: Amounts): FieldError[] {
  const faults: FieldError[] = []
  if (price === null && marginPercent === null)
    faults.push({ pointer: '/price', code: 'required', message: 'is required without marginPercent' })
  if (price !== null && marginPercent !== null)
    faults.push({
      pointer: '/marginPercent',
      code: 'conflict',
      message: 'takes the place of a price, which is null then',
    })
  if (price !== null && optionType === 'credit' && price > 0)
    faults.push({
      pointer: '/price',
      code: 'maximum',
      message: 'must not exceed 0, because a credit takes something off',
    })
  if (price !== null && optionType !== 'credit' && price < 0)
    faults.push({ pointer: '/price', code: 'minimum', message: 'must not be below 0, except for a credit' })
  if (costBasis === 'fixed' && cost === null)
    faults.push({ pointer: '/cost', code: 'required', message: 'is required where costBasis is fixed' })
  if (costBasis === 'computed' && cost !== null)
    faults.push({ pointer: '/cost', code: 'conflict', message: 'is computed, unless costBasis is fixed' })
  return faults
}

/** Why the option cannot be had in a house; null if it can. */
export function reasonNotToSelect(
  option: Option,
  house: { name: string; planId: string | null; communityId: string },
): string | null {
  if (option.archivedAt !== null) return `${option.code} is archived.`
  if (option.planIds.length > 0 && (house.planId === null || !option.planIds.includes(house.planId)))
    return `${option.code} is not available for the plan of ${house.name}.`
  if (option.communityIds.length > 0 && !option.communityIds.includes(house.communityId))
    return `${option.code} is not offered in the community of ${house.name}.`
  return null
}
