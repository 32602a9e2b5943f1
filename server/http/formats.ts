/**
 * The contract's own formats. Decimals are counted in the number as JSON writes it, because arithmetic on binary floats
 * (`multipleOf: 0.01`) misjudges numbers such as 1.15.
 */
export const formats = {
  money: decimals(2),
  'unit-price': decimals(4),
  quantity: decimals(4),
}

function decimals(most: number): { type: 'number'; validate(value: number): boolean } {
  const pattern = new RegExp(`^-?\\d+(\\.\\d{1,${most}})?$`)
  return { type: 'number', validate: (value) => pattern.test(String(value)) }
}
