import { describe, expect, test } from 'vitest'
import { isContinued, isEdit } from '../../../src/events/conversation/is-edit.ts'

describe('continues with the other text', () => {
  test.each([
    ['I would', 'I would like a repair.', true],
    ['I would like a repair.', 'I would', true],
    ['I would.', 'i WOULD, like a repair', true],
    ['', 'anything', true],
    ['I would', 'We would like a repair.', false],
    ['like a repair', 'I would like a repair', false],
    ['Zimmer 12', 'Zimmer 13', false],
    ['Größe', 'Große', false],
  ])('%j, %j: %j', (one, other, expected) => {
    expect(isContinued(one, other)).toBe(expected)
  })

  test('up to eight hundred characters', () => {
    const long = 'word '.repeat(200)
    expect(isContinued(`${long.slice(0, 795)} one`, `${long.slice(0, 795)} two`)).toBe(false)
    expect(isContinued(`${long.slice(0, 800)}one`, `${long.slice(0, 800)}two`)).toBe(true)
  })
})

describe('the same words, recognized better or further', () => {
  test.each([
    ['I wood like', 'I would like', true],
    ['I wood like', 'I would like to book a repair, please.', true],
    ['I would like to book a repair, please.', 'I wood like', true],
    ['book', 'I would like to book a repair', true],
    ['boo', 'I would like to bring a book', false],
    ['', '', true],
    ['', 'I would like', true],
    // Two letters of five may be others, three may not.
    ['abcde', 'abxye', true],
    ['abcde', 'axxye', false],
    // Words in front of the same words.
    ['to book a repear', 'oh, to book a repair', true],
    ['When are you open?', 'How much is a tyre?', false],
  ])('%j, %j: %j', (before, after, expected) => {
    expect(isEdit(before, after)).toBe(expected)
    expect(isEdit(after, before)).toBe(expected)
  })

  test('up to two hundred letters', () => {
    const [one, other] = ['abcdefgh', 'zyxwvuts'].map(letters => letters.repeat(60))
    expect(isEdit(`${one?.slice(0, 200)}${other}`, `${one?.slice(0, 200)}${one}`)).toBe(true)
    expect(isEdit(`${one?.slice(0, 100)}${other}`, `${one?.slice(0, 100)}${one}`)).toBe(false)
  })
})
