import type { FieldError, Option, OptionStatus } from '../../../../client/contract.gen.ts'

export const OPTION_MOVES: Readonly<Record<OptionStatus, readonly OptionStatus[]>> = {
  draft: ['active'],
  active: ['retired'],
  retired: ['active'],
}

type OptionAmounts = Pick<Option, 'optionType' | 'price' | 'marginPercent' | 'costBasis' | 'cost'>

/** Returns all errors in the price and cost of an option, including fields that the request omits. */
export function findOptionAmountErrors({
  optionType,
  price,
  marginPercent,
  costBasis,
  cost,
}: OptionAmounts): FieldError[] {
  const errors: FieldError[] = []
  if (price === null && marginPercent === null)
    errors.push({ pointer: '/price', code: 'required', message: 'is required unless marginPercent is set' })
  if (price !== null && marginPercent !== null)
    errors.push({
      pointer: '/marginPercent',
      code: 'conflict',
      message: 'cannot be combined with price; set price to null',
    })
  if (price !== null && optionType === 'credit' && price > 0)
    errors.push({
      pointer: '/price',
      code: 'maximum',
      message: 'must not be positive when optionType is credit',
    })
  if (price !== null && optionType !== 'credit' && price < 0)
    errors.push({ pointer: '/price', code: 'minimum', message: 'must not be negative unless optionType is credit' })
  if (costBasis === 'fixed' && cost === null)
    errors.push({ pointer: '/cost', code: 'required', message: 'is required when costBasis is fixed' })
  if (costBasis === 'computed' && cost !== null)
    errors.push({ pointer: '/cost', code: 'conflict', message: 'must be null when costBasis is computed' })
  return errors
}

/** Returns the reason why the option cannot be selected for a home; null if there is none. */
export function explainWhyOptionCannotBeSelected(
  option: Option,
  house: { name: string; planId: string | null; communityId: string },
): string | null {
  if (option.archivedAt !== null) return `Cannot select ${option.code}: the option is archived.`
  if (option.planIds.length > 0 && (house.planId === null || !option.planIds.includes(house.planId)))
    return `Cannot select ${option.code}: the option is not available for the plan of ${house.name}.`
  if (option.communityIds.length > 0 && !option.communityIds.includes(house.communityId))
    return `Cannot select ${option.code}: the option is not available in the community of ${house.name}.`
  return null
}
