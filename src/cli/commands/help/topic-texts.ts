/** Text of every topic in 80 columns, and the section of a guide that it is from. */
export { default as topicTexts, guides as topicGuides } from './topics?texts'
